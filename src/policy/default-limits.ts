/** Limits of the sandbox where no policy says otherwise; apart from the schema, which takes long to load. */
export const DEFAULT_LIMITS = { memory_mb: 2_048, cpus: 2, timeout_s: 300 } as const;
