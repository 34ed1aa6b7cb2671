/** What a document is known by, found even when the rest of it is wrong. */
export interface Identity {
  readonly kind: 'Policy' | 'Webhook' | 'Schedule';
  /** A policy's or a schedule's name, a webhook's url. */
  readonly name: string;
  readonly key: string;
  /** The field that gives the key. */
  readonly keyField: 'key' | 'name' | 'url';
}
