export interface Mail {
  readonly to: string;
  readonly text: string;
}

export interface Outbox {
  send(mail: Mail): Promise<void>;
  /** Marks the mails as sent; they are not picked up again. */
  commit(): Promise<void>;
}
