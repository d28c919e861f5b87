import type { Policy } from '../policy/schema.ts';

/** Classes of images in which a repository's own tests run. */
export const TEST_CLASSES: readonly string[] = ['node', 'python', 'go', 'java'];

/**
 * The class of the image that a review needs for tests, empty where it runs none: reviewers may run them, the acceptance check
 * does where there is an issue. An image by digest is nobody's to build.
 */
export function toTestImage({ tests, acceptance }: Pick<Policy, 'tests' | 'acceptance'>, hasIssues: boolean): string {
  const runs = tests.command !== null || (hasIssues && acceptance.command !== null);
  return runs && TEST_CLASSES.includes(tests.image) ? tests.image : '';
}
