/**
 * Why a delivery was refused; stable, for programs.
 * - `missing_header`, `malformed_header`: a header is absent, or not in the form that the service sends
 * - `bad_signature`: no signature fits the body and a secret
 * - `timestamp_too_old`, `timestamp_too_new`: signed further from now than the tolerance
 * - `body_not_raw`: the body is not the bytes as they came; the receiver's own fault
 * - `body_not_json`, `body_not_an_event`: rightly signed, but no event
 * - `misconfigured`: no secret, or an option that means nothing; the receiver's own fault
 */
export type WebhookVerificationReason =
  | 'missing_header'
  | 'malformed_header'
  | 'bad_signature'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'body_not_raw'
  | 'body_not_json'
  | 'body_not_an_event'
  | 'misconfigured';

/** The one error of `verifyWebhook`. Its message says what to check, and holds no secret and no part of the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly reason: WebhookVerificationReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
