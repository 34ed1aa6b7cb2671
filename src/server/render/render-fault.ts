/** A file can't be made, for a reason that whoever asked for it may read: no path, no stack, no secret. */
export class RenderFault extends Error {
  override readonly name = 'RenderFault';
}
