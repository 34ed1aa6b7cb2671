/** The operating system's keychain; tests replace it. Every call may reject: locked, absent, refused. */
export interface Keychain {
  read(account: string): Promise<string | null>;
  write(account: string, secret: string): Promise<void>;
  /** False when there was none. */
  remove(account: string): Promise<boolean>;
}

const service = 'govctl';

/** Milliseconds; a keychain may be asking its owner to unlock it. */
const answerWithinMs = 20_000;

/**
 * The real one: macOS Keychain, Windows Credential Manager, Secret Service. On Linux the store is pinned: the
 * library's own fallback, the kernel's keyring, accepts a secret and then forgets it with the session.
 */
export function systemKeychain(): Keychain {
  const entry = async (account: string) => {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    return new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  };
  return {
    read: (account) => within(async () => (await entry(account)).getPassword()),
    write: (account, secret) => within(async () => (await entry(account)).setPassword(secret)),
    remove: (account) => within(async () => (await entry(account)).deletePassword()),
  };
}

async function within<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(new Error(`the keychain did not respond within ${answerWithinMs / 1000} seconds`)),
      answerWithinMs,
    );
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why the keychain can't be used, or undefined when a secret written to it can be read again. */
export async function probeKeychain(keychain: Keychain): Promise<string | undefined> {
  const account = 'probe';
  try {
    await keychain.write(account, account);
    const back = await keychain.read(account);
    await keychain.remove(account);
    return back === account ? undefined : 'the keychain did not return the stored value';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
