/** A few policies and inputs that the tests of `check` share. */
export const policies = `key: s3-encryption
name: Buckets are encrypted
description: Data at rest in S3 is encrypted.
resource_type: AWS::S3::Bucket
severity: HIGH
tags: ["guard:S3_ENCRYPTED"]
rules:
  - condition: resource.encryption.configured == false
    effect: DENY
    message: Switch on default encryption.
---
key: s3-owner
name: Buckets have an owner
resource_type: AWS::S3::Bucket
severity: LOW
rules:
  - condition: resource.tags["owner"] == "nobody"
    effect: DENY
`;

export const bucket = (id: string, encrypted: boolean, more: object = {}): string =>
  JSON.stringify({
    id,
    type: 'AWS::S3::Bucket',
    tags: { owner: 'ana' },
    encryption: { configured: encrypted },
    ...more,
  });

export const waiver = (resources: string, expires: string): string => `kind: Exemption
policy: s3-encryption
resources: [${resources}]
reason: moves in March
owner: team-storage
expires: ${expires}
`;

export const template = `Resources:
  Plain:
    Type: AWS::S3::Bucket
    Properties:
      Tags: [{Key: owner, Value: ana}]
  Queue:
    Type: AWS::SQS::Queue
`;
