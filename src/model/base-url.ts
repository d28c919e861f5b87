import { CypherFixError } from '../core/errors.ts';

/**
 * Checks the input `model-base-url`: https, or http on the loopback interface alone, without user, query or fragment.
 * Returns it without a slash at its end; throws CypherFixError('usage').
 */
export function parseBaseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null) throw refuse('is no URL');
  if (url.username !== '' || url.password !== '')
    throw refuse('holds a user or a password; keys have inputs of their own');
  if (url.search !== '' || url.hash !== '') throw refuse('has a query or a fragment');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw refuse('must be https (http is allowed on the loopback interface only)');
  }
  return url.href.replace(/\/+$/, '');
}

/** Anthropic's SDK appends `/v1/messages` itself, so that a base which ends in `/v1` would name it twice. */
export const withoutVersion = (baseUrl: string): string => baseUrl.replace(/\/v1$/, '');

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

const refuse = (what: string) => new CypherFixError('usage', `input model-base-url ${what}`);
