/** Keeps secrets unreadable at rest. */
export interface SecretBox {
  /** @param owner what the secret belongs to; it can be opened under the same only */
  seal(secret: string, owner: string): string;
  /** @throws Error where the text was changed, or was sealed with another key or for another owner */
  open(sealed: string, owner: string): string;
}
