export function lookup(pattern, text) {
  return new RegExp(pattern).test(text);
}
