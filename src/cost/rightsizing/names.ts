/**
 * The same text for whatever an inventory, an export of cost and one of metrics call the same machine: an ARN, the ID in
 * it; an ID of Azure in any case; a full name or URL of Google.
 */
export function machineName(id: string): string {
  // Azure does not distinguish case.
  if (/^\/subscriptions\//i.test(id)) return id.toLowerCase();
  const google = /(?:^|\/)(projects\/[^/]+\/zones\/[^/]+\/instances\/[^/]+)$/.exec(id);
  if (google?.[1] !== undefined) return google[1];
  const arn = /^arn:[^:]*:ec2:[^:]*:[^:]*:instance\/(i-[0-9a-f]+)$/.exec(id);
  return arn?.[1] ?? id;
}
