import { contract } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import type { ServiceContract } from '../../../src/contract/contract.ts';

/** `noun.verb` of each endpoint that is no GET. */
export type Changing = {
  [N in keyof ServiceContract & string]: {
    [V in keyof ServiceContract[N] & string]: ServiceContract[N][V] extends { method: 'GET' }
      ? never
      : `${N}.${V}`;
  }[keyof ServiceContract[N] & string];
}[keyof ServiceContract & string];

const verbsOf: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = contract;

export const changing = Object.entries(verbsOf).flatMap(([noun, verbs]) =>
  Object.entries(verbs).flatMap(([verb, { method }]) =>
    method === 'GET' ? [] : [`${noun}.${verb}` as Changing],
  ),
);

export function endpointOf(name: string): Endpoint {
  const [noun = '', verb = ''] = name.split('.');
  const endpoint = verbsOf[noun]?.[verb];
  if (!endpoint) throw new Error(`the contract has no ${name}`);
  return endpoint;
}

/** Those that no client of the kills asks for, and why. */
export const excused: Partial<Record<Changing, string>> = {
  'policies.validate': 'reads',
  'costResources.sum': 'reads',
  'auth.token': 'its tokens are not stored',
  'local.setClock': 'a test aid: the world advances the clock',
  'local.resetClock': 'a test aid: the world advances the clock',
  'local.advanceClock': 'a test aid: the world advances the clock',
  'local.addFault': 'a test aid, in memory only',
  'local.clearFaults': 'a test aid, in memory only',
  'local.clearFault': 'a test aid, in memory only',
  'local.restore': 'a test aid that replaces everything',
  'local.reset': 'a test aid that removes everything',
};
