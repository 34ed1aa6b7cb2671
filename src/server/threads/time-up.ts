/** What was waited for did not come in time. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';
}
