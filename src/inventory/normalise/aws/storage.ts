import type { Normaliser } from '../normaliser.ts';
import { resourcePolicy } from './resource-policy.ts';
import { dlmLifecyclePolicy } from './storage/dlm-lifecycle-policy.ts';
import { ebsVolume } from './storage/ebs-volume.ts';
import { efsFileSystem } from './storage/efs-file-system.ts';
import { fsxFileSystem } from './storage/fsx-file-system.ts';
import { s3Bucket } from './storage/s3-bucket.ts';

export const storage: readonly Normaliser[] = [
  s3Bucket,
  resourcePolicy('AWS::S3::BucketPolicy', 'the policy of the bucket'),
  ebsVolume,
  efsFileSystem,
  fsxFileSystem,
  dlmLifecyclePolicy,
];
