/** Sets a key from an input as data; plain assignment of `__proto__` would set the prototype. */
export function setOwn(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(fields, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else fields[key] = value;
}
