import type { Normaliser } from '../normaliser.ts';
import { acmCertificate } from './keys/acm-certificate.ts';
import { kmsKeyType } from './keys/kms-key.ts';
import { secret } from './keys/secret.ts';

export const keys: readonly Normaliser[] = [acmCertificate, kmsKeyType, secret];
