/** A wait timed out. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';
}
