/** The API's error types by status (platform.claude.com, "Errors"). */
const TYPES: Record<number, readonly [type: string, message: string]> = {
  400: ['invalid_request_error', 'The request is invalid.'],
  401: ['authentication_error', 'invalid bearer token'],
  402: ['billing_error', 'Your credit balance is too low to access the Claude API.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'The requested resource was not found.'],
  409: ['conflict_error', 'The request conflicts with another one.'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', "This request would exceed your organization's rate limit."],
  500: ['api_error', 'Internal server error'],
  504: ['timeout_error', 'The request timed out.'],
  529: ['overloaded_error', 'Overloaded'],
};

export function toErrorType(status: number): string {
  return TYPES[status]?.[0] ?? 'api_error';
}

export function toErrorBody(status: number, message?: string, type?: string): Record<string, unknown> {
  const error = { type: type ?? toErrorType(status), message: message ?? TYPES[status]?.[1] ?? `Status ${status}` };
  return { type: 'error', error, request_id: null };
}
