import { describe, expect, it } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { errorCatalogue } from '../../src/contract/errors.ts';

const endpoints = Object.values(contract).flatMap((verbs): Endpoint[] => Object.values(verbs));

describe('the contract', () => {
  it('gives every error of the wire a code of its own', () => {
    // One for a password that is missing and one that is wrong, as the description has it.
    const { report_password_wrong: wrong, ...others } = errorCatalogue;
    expect(wrong.code).toBe(errorCatalogue.report_password_required.code);
    const codes = Object.values(others).flatMap(({ code }) => (code === null ? [] : [code]));
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(code).toMatch(/^[A-Z]{3,4}_\d{3}$/);
  });

  it('names no path and method twice', () => {
    const routes = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('asks for a token on every versioned path but that of signed links, and elsewhere for metrics only', () => {
    const { path: ofLinks } = contract.reports.followLink;
    for (const { path, scope } of endpoints)
      expect(scope !== null, path).toBe(
        path === '/metrics' || (path.startsWith('/v1/') && path !== ofLinks),
      );
  });

  it('reads with the reading scope and writes with the writing one', () => {
    const ofGovernance = endpoints.filter((row) =>
      /^\/v1\/(policies|resources|scans|violations|exemptions)\b/.test(row.path),
    );
    for (const { method, path, scope } of ofGovernance) {
      const reads = method === 'GET' || path === '/v1/policies/validate';
      expect(scope, `${method} ${path}`).toBe(reads ? 'governance:read' : 'compliance:write');
    }
  });
});
