/** A file can't be made, for a reason that whoever asked for it may read: no path, no stack, no secret. */
export class RenderFault extends Error {
  override readonly name = 'RenderFault';
}

/** What renders went away under a file; it may be otherwise the next time. */
export class RenderCrash extends Error {
  override readonly name = 'RenderCrash';
}
