/** An issue that the change closes or names, as request.json carries it. Title and body are untrusted text. */
export interface LinkedIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
}

export type CriterionSource = 'checklist' | 'section' | 'gherkin' | 'inferred';

/** One thing that an issue asks for. */
export interface Criterion {
  readonly issue: number;
  /** `AC-3`, where the criterion carries one. */
  readonly id?: string;
  /** One line, cleaned; still untrusted. */
  readonly text: string;
  readonly source: CriterionSource;
  /** Contents of its code spans: one of them may be the whole name of a test. */
  readonly codeSpans: readonly string[];
}

/** A criterion as a text states it, before it is cleaned and cut. */
export interface Statement {
  readonly text: string;
  readonly source: CriterionSource;
  /** An identifier that stands beside the text, in a tag for instance. */
  readonly id?: string;
  readonly codeSpans: readonly string[];
}

export interface Evidence {
  readonly path: string;
  readonly line?: number;
  readonly text: string;
}

export interface JudgedCriterion extends Criterion {
  readonly status: 'met' | 'unmet' | 'unclear';
  readonly judgedBy: 'test' | 'model' | 'none';
  readonly evidence: readonly Evidence[];
}
