/** An answer that is no success, in GitHub's shapes. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    body: { message: string } & Record<string, unknown>,
    headers: Record<string, string> = {},
  ) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function notFound(message = 'Not Found'): ApiError {
  return new ApiError(404, { message });
}

/** The validation error whose `errors` are objects. */
export function invalidField(resource: string, field: string, message: string, code = 'custom'): ApiError {
  return new ApiError(422, { message: 'Validation Failed', errors: [{ resource, code, field, message }] });
}

/** The validation error whose `errors` are plain strings, as reviews have it. */
export function unprocessable(errors: string[]): ApiError {
  return new ApiError(422, { message: 'Unprocessable Entity', errors });
}

/** GitHub counts characters, not UTF-16 units. */
export const MAX_BODY_CHARS = 65_536;
export function isTooLong(body: string): boolean {
  return body.length > MAX_BODY_CHARS && [...body].length > MAX_BODY_CHARS;
}
