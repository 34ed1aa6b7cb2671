import { isBoundTo, placeOfUrl, showPlace } from '../../config/binding.ts';
import type { Place } from '../../config/binding.ts';
import type { ServerConfig } from '../../config/config.ts';

/** `fault` is in words that go after the name of a field. */
export type Bound<T> = T | { readonly fault: string };

/**
 * The value of a secret that a schedule names, for the host it is going to be sent to: whoever writes schedules could
 * have it sent to a host of theirs. Whether a name is not listed or is bound elsewhere is not told apart.
 */
export function secretFor(
  name: string,
  place: Place,
  config: ServerConfig,
): Bound<{ readonly secret: string }> {
  const listed = listedSecret(name, config);
  if (!listed || !isBoundTo(listed, place)) return notBound(name, showPlace(place));
  return listed.value === undefined ? notSet(name) : { secret: listed.value };
}

/** The value of a secret that is itself the URL to send to. Which host that is on is told no more than the rest of it. */
export function secretUrlFor(name: string, config: ServerConfig): Bound<{ readonly url: string }> {
  const listed = listedSecret(name, config);
  if (listed?.value === undefined) {
    return listed && listed.hosts.length > 0
      ? notSet(name)
      : notBound(name, 'the host of the URL', 'HOST');
  }
  const place = placeOfUrl(listed.value);
  return place && isBoundTo(listed, place)
    ? { url: listed.value }
    : notBound(name, 'the host of the URL', 'HOST');
}

/** One with buckets signs requests to storage, and is sent nowhere. */
function listedSecret(name: string, { secrets = {} }: ServerConfig) {
  const listed = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  return listed && listed.buckets.length === 0 ? listed : undefined;
}

const notBound = (name: string, host: string, entry = host) => ({
  fault: `uses ${name}, which this server does not send to ${host}: ask its operator to add secrets: {${name}: {hosts: ["${entry}"]}} to the --config file`,
});

const notSet = (name: string) => ({
  fault: `uses ${name}, which is not set on the server: ask its operator to set that variable, or its value under secrets in the --config file`,
});
