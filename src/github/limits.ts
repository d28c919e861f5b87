/**
 * What GitHub accepts, each number with where it is written down. "Observed" means that the documents are silent and
 * users measured it.
 */

/** No document names a maximum; 71 comments gave 502 after a partial success, 30 is what other reviewers use. */
export const MAX_REVIEW_COMMENTS = 30;

/** REST "Update a check run": "The Checks API limits the number of annotations to a maximum of 50 per API request." */
export const MAX_ANNOTATIONS_PER_REQUEST = 50;

/** Runner, ExecutionContext.cs `_maxCountPerIssueType`: annotations of one type that one step may leave. */
export const MAX_COMMAND_ANNOTATIONS_PER_TYPE = 10;

/** Runner, ExecutionContext.cs: the message of a workflow-command annotation is cut here. */
export const MAX_COMMAND_MESSAGE_CHARS = 4096;

/** "Using pagination in the REST API": `per_page` is at most 100. */
export const PAGE_SIZE = 100;

/** "SARIF support for code scanning": a gzip-compressed upload is at most 10 MB. */
export const MAX_SARIF_GZIP_BYTES = 10 * 1024 * 1024;

/** "Rate limits for the REST API": GITHUB_TOKEN has 1,000 requests an hour for each repository; we keep well below. */
export const MAX_REQUESTS_PER_RUN = 700;

/** "Best practices for using the REST API": of a large number of writes, "wait at least one second between each". */
export const WRITE_SPACING_MS = 1000;

/** Writes that are no large number yet; an ordinary run makes fewer. */
export const UNSPACED_WRITES = 10;

/** "Rate limits for the REST API": without `retry-after`, "wait for at least one minute before retrying". */
export const SECONDARY_LIMIT_WAIT_MS = 60_000;

/** A block without `retry-after` was measured to last 72 s; a longer single wait serves nobody. */
export const MAX_SINGLE_WAIT_MS = 180_000;

/** All waits of a run together; after that the results go to the job summary. */
export const MAX_TOTAL_WAIT_MS = 360_000;

/** A request without an answer after this time counts as a lost connection. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** A download of an artefact that takes longer counts as a lost connection. */
export const MAX_DOWNLOAD_MS = 120_000;
