/** The task of reflection; with the judge's criticism when a review is revised. */
export function reflectionTask(findings: string, notes: string, criticism: string | null): string {
  const again =
    criticism === null
      ? ''
      : `
# This review was judged too weak
The judge's criticism follows. Decide anew with it in mind.
${criticism}
`;
  return `# Your duty: reflection
The reviewers' findings follow. Check each against the code, with the tools where the diff is not enough, and decide:
- \`keep\` it, and correct severity, title, rationale or suggestion where they are wrong or unclear (null leaves them). Lower what
  is overstated. Give a better \`quote\` where the old one does not show the fault (null leaves it).
- \`drop\` it when it is wrong, unproved, not caused by this change, or noise. Say why; people will read the reason.
- \`merge\` it when it says what another one says: \`merge_into\` names the one that stays.
What you do not mention stays. You decide on these ids alone; findings of scanners are not yours to decide.
Then sum up the review for the author in one paragraph: what matters most, what to do first.

# Findings
${findings}

# Notes of the reviewers
${notes}
${again}
Decide now and answer in the required format.`;
}
