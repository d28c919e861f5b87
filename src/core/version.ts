/** The tool's name and version as reports, markers and user agents show them; a test compares it with package.json. */
export const TOOL = { name: 'cypherfix', version: '0.1.0' } as const;
