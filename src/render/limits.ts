/** What the places that show our texts can hold. "Code points" since GitHub counts characters, not UTF-16 units. */

/** Reviews and comments: 422 `body is too long (maximum is 65536 characters)`; the store is 262,144 bytes. */
export const COMMENT_LIMIT = { codePoints: 65_000, bytes: 250_000 } as const;

/** REST "Create a check run", `output.summary` and `output.text`: "Maximum length: 65535 characters." */
export const CHECK_TEXT_LIMIT = { codePoints: 65_000, bytes: 250_000 } as const;

/** Longer check titles are cut in the list of checks. */
export const CHECK_TITLE_CODE_POINTS = 200;

/** REST "Create a check run", `annotations[].title`: "The maximum size is 255 characters." */
export const ANNOTATION_TITLE_CODE_POINTS = 255;

/** REST "Create a check run", `annotations[].message`: "The maximum size is 64 KB." */
export const ANNOTATION_MESSAGE_BYTES = 64_000;

/** A job summary over 1 MiB is dropped whole by the runner. */
export const SUMMARY_LIMIT = { codePoints: 900 * 1024, bytes: 900 * 1024 } as const;

/** "SARIF results exceed" limits of code scanning: of 25,000 results a run it keeps the top 5,000. */
export const SARIF_RESULTS = 5_000;

/** Code scanning keeps 10 of a rule's tags and 1,000 of a flow's locations. */
export const SARIF_TAGS = 10;
export const SARIF_FLOW_LOCATIONS = 1_000;

/** Contract: the hidden state marker is at most 8 KiB. */
export const STATE_MARKER_BYTES = 8 * 1024;
