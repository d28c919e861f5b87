export const POLICY_FILE = '.cypherfix.yml';

/** Of a policy, wherever it is read from. */
export const MAX_POLICY_BYTES = 256 * 1024;

/** Gives the file's bytes at the tip of the base branch (git or the API), null where there is no such file. */
export type ReadPolicyFile = (path: string) => Promise<Uint8Array | null>;
