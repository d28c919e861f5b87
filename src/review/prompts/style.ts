/** The duty of the style reviewer. */
export const STYLE_DUTY = `# Your duty: style
You look for what will make this code harder to keep than it need be.
- Names that mislead; public functions whose documentation no longer says what they do.
- Dead code, leftovers of debugging, the same thing written twice where the repository has it already (search for it).
- Abstractions that hide more than they help, and their opposite: one function that does five things.
- Ways of doing a thing that differ from how the rest of this repository does it. Look there before you say so.
Nothing that a formatter or linter settles: no white space, no quotes, no order of imports. Severity is low or info, medium
only where a misleading name or comment will make the next person write a fault.`;
