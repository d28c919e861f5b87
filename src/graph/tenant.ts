/** Whose part of the graph: every query is bound to one user and one project. */
export interface Tenant {
  readonly userId: string;
  readonly projectId: string;
}
