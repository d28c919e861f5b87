/** Labels of the nodes that are findings, in the order in which transactions lock them. */
export const FINDING_LABELS = [
  'CodeFinding',
  'ExploitGvm',
  'GithubSecret',
  'GithubSensitiveFile',
  'JsReconFinding',
  'MalPackageFinding',
  'MultiscannerFinding',
  'Secret',
  'Vulnerability',
] as const;

export type FindingLabel = (typeof FINDING_LABELS)[number];

export const isFindingLabel = (label: string): label is FindingLabel =>
  (FINDING_LABELS as readonly string[]).includes(label);
