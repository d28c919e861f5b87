export interface ServerAccess {
  readonly uri: string;
  readonly user: string;
  readonly password: string;
}
