type Manifest = Readonly<Record<string, unknown>>;

export function webAddress(remote: string): string | undefined;
export function releasedManifest(manifest: Manifest, version: string, address: string): Manifest;
export function datedChangelog(text: string, version: string, date: string): string | undefined;
