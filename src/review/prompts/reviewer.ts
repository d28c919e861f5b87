/** What the three reviewers have in common in their last part. */
export function reviewerTask(duty: string, openFindings: string | null): string {
  const earlier =
    openFindings === null
      ? 'There are no open findings of yours from earlier runs: leave `resolved` empty.'
      : `Findings of yours from earlier runs that are still open follow. Where this change mends one, name its id and why in
\`resolved\`; do not report again what is still open.
${openFindings}`;
  return `${duty}

# Scanner findings
Deterministic scanners have run; their findings stand whatever you say. Where you can tell, give your verdict on those within
your duty in \`scanner\`: \`confirm\` with how the fault can be reached, or \`dispute\` with the reason it is a false alarm. Do not
repeat a scanner's finding as one of your own unless you have something to add to it.

# Earlier findings
${earlier}

Examine the change now. When you are done, answer in the required format.`;
}
