// What a release changes in the files of the project. Pure.

/** The web address of a git remote: https://github.com/acme/govctl. Undefined for a path or a host without one. */
export function webAddress(remote) {
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^@/:]+)(?::\d+)?\/+(.+)$/.exec(remote) ??
    /^(?:[^@/:]*@)?([^@/:]+\.[^@/:]+):\/*(.+)$/.exec(remote) ??
    [];
  if (host === undefined || !/^[\w.-]+$/.test(host)) return undefined;
  const name = path.replace(/\/+$/, '').replace(/\.git$/, '');
  return /^[\w./~-]+$/.test(name) ? `https://${host}/${name}` : undefined;
}

/** package.json of a release: its version, and where its repository is. */
export function releasedManifest(manifest, version, address) {
  const { name, description, keywords, license, ...rest } = manifest;
  return {
    name,
    version,
    description,
    keywords,
    license,
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
    repository: { type: 'git', url: `git+${address}.git` },
    ...omit(rest, ['version', 'homepage', 'bugs', 'repository']),
  };
}

const omit = (record, names) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** The changelog with the date of a version; undefined where it has no such unreleased version. */
export function datedChangelog(text, version, date) {
  const heading = `## ${version} (unreleased)`;
  const lines = text.split('\n');
  const at = lines.indexOf(heading);
  return at < 0 ? undefined : lines.with(at, `## ${version} (${date})`).join('\n');
}
