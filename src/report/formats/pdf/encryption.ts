import { createCipheriv, createHash } from 'node:crypto';
import type { Pdfkit, Security } from './pdfkit-inside.ts';

/** The keys of a protected document, as its encryption dictionary holds them (ISO 32000-2, 7.6.4, revision 6). */
interface EncryptionKeys {
  readonly fileKey: Uint8Array;
  readonly U: Uint8Array;
  readonly UE: Uint8Array;
  readonly O: Uint8Array;
  readonly OE: Uint8Array;
  readonly Perms: Uint8Array;
}

type RandomBytes = (bytes: number) => Uint8Array;

/** Whoever has the password may do everything: bits 3 to 6 and 9 to 12, and those that are reserved as ones. */
const permissions = -4;
const longestPassword = 127;

/** pdfkit's own encryption is revision 5, which is deprecated and falls to a single SHA-256. */
export function protect(doc: Pdfkit, password: string, random: RandomBytes): Security {
  const { fileKey, ...keys } = makeKeys(password, random);
  const dictionary = doc.ref({
    Filter: 'Standard',
    V: 5,
    R: 6,
    Length: 256,
    P: permissions,
    CF: { StdCF: { AuthEvent: 'DocOpen', CFM: 'AESV3', Length: 32 } },
    StmF: 'StdCF',
    StrF: 'StdCF',
    ...keys,
  });
  return {
    dictionary,
    getEncryptFn: () => (bytes) => encrypt(fileKey, random(16), bytes),
    end() {
      dictionary.end();
    },
  };
}

function encrypt(key: Uint8Array, vector: Uint8Array, bytes: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([vector, cipher.update(bytes), cipher.final()]);
}

/** The owner's password is made up and forgotten: there is one password, and it opens all. */
function makeKeys(password: string, random: RandomBytes): EncryptionKeys {
  const user = passwordBytes(password);
  const owner = random(32);
  const fileKey = random(32);
  const [userCheck, userSalt] = [random(8), random(8)];
  const U = Buffer.concat([hash(user, userCheck), userCheck, userSalt]);
  const [ownerCheck, ownerSalt] = [random(8), random(8)];
  const O = Buffer.concat([hash(owner, ownerCheck, U), ownerCheck, ownerSalt]);
  return {
    fileKey,
    U,
    UE: wrapKey(hash(user, userSalt), fileKey),
    O,
    OE: wrapKey(hash(owner, ownerSalt, U), fileKey),
    Perms: sealPermissions(fileKey, random(4)),
  };
}

/** UTF-8, cut at 127 bytes. Readers are to prepare it with SASLprep, of which this is the part that changes letters. */
const passwordBytes = (password: string): Uint8Array =>
  Buffer.from(password.normalize('NFKC'), 'utf8').subarray(0, longestPassword);

const wrapKey = (key: Uint8Array, fileKey: Uint8Array): Uint8Array =>
  unpadded(createCipheriv('aes-256-cbc', key, Buffer.alloc(16)), fileKey);

function sealPermissions(fileKey: Uint8Array, noise: Uint8Array): Uint8Array {
  const plain = Buffer.alloc(16, 0xff);
  plain.writeInt32LE(permissions, 0);
  plain.write('Tadb', 8, 'latin1');
  plain.set(noise, 12);
  return unpadded(createCipheriv('aes-256-ecb', fileKey, null), plain);
}

function unpadded(cipher: ReturnType<typeof createCipheriv>, bytes: Uint8Array): Uint8Array {
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

/** Algorithm 2.B: at least 64 rounds of AES-128 and SHA-2, whose outcome says how many more. */
function hash(
  password: Uint8Array,
  salt: Uint8Array,
  ownerOf: Uint8Array = Buffer.alloc(0),
): Uint8Array {
  let key = digest('sha256', Buffer.concat([password, salt, ownerOf]));
  for (let round = 1; ; round++) {
    const once = Buffer.concat([password, key, ownerOf]);
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32));
    const text = unpadded(cipher, Buffer.concat(Array<Uint8Array>(64).fill(once)));
    const sum = text.subarray(0, 16).reduce((total, byte) => total + byte, 0);
    key = digest((['sha256', 'sha384', 'sha512'] as const)[sum % 3] ?? 'sha256', text);
    if (round >= 64 && (text.at(-1) ?? 0) <= round - 32) return key.subarray(0, 32);
  }
}

const digest = (name: 'sha256' | 'sha384' | 'sha512', bytes: Uint8Array): Uint8Array =>
  createHash(name).update(bytes).digest();
