declare module 'fs-native-extensions' {
  /** @returns false where somebody else has it. @throws Error where the file system has no locks */
  export function tryLock(
    fd: number,
    offset: number,
    length: number,
    options: { readonly shared: boolean },
  ): boolean;
}
