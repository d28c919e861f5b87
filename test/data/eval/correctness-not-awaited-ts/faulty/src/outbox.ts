export interface Mail {
  readonly to: string;
  readonly text: string;
}

export interface Outbox {
  send(mail: Mail): Promise<void>;
  /** Marks the mails as sent; they are not picked up again. */
  commit(): Promise<void>;
}

export async function flush(outbox: Outbox, mails: readonly Mail[]): Promise<void> {
  mails.forEach(async mail => {
    await outbox.send(mail);
  });
  await outbox.commit();
}
