import * as z from 'zod';
import { PolicyDocument } from './policy.ts';

/** Fields that documents of several kinds have. */
export const key = PolicyDocument.shape.key;
export const name = PolicyDocument.shape.name;
export const text = z.string().min(1).max(16_384);
