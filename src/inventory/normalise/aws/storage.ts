import type { Normaliser } from '../normaliser.ts';
import { s3Bucket } from './storage/s3-bucket.ts';

export const storage: readonly Normaliser[] = [s3Bucket];
