/**
 * The version of every table in this folder and of the rules that read them. A stored score names it, so raise it with
 * any change that can move a score: the major number for another formula, the minor for a table, the patch for a repair.
 */
export const SCORE_MODEL_VERSION = '3.2.0';
