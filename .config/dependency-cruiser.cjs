// The import rules of docs/architecture.md, checked by `npm test`.
const folder = (name, may) => ({
  name: `${name}-imports`,
  comment: `src/${name} may import only: ${[name, ...may].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: `^src/(${[name, ...may].join('|')})/` },
});

module.exports = {
  forbidden: [
    folder('contract', []),
    folder('engine', ['contract']),
    folder('inventory', ['contract']),
    folder('webhook', ['contract']),
    folder('cost', ['contract']),
    folder('calendar', ['contract']),
    folder('client', ['contract']),
    folder('lock', ['contract']),
    folder('project', ['contract', 'engine', 'inventory', 'calendar', 'client']),
    folder('report', ['contract', 'engine', 'calendar']),
    folder('server', [
      'contract',
      'engine',
      'inventory',
      'webhook',
      'calendar',
      'cost',
      'report',
      'lock',
    ]),
    folder('cli', [
      'contract',
      'engine',
      'inventory',
      'webhook',
      'calendar',
      'cost',
      'client',
      'report',
      'project',
      'lock',
    ]),
    {
      name: 'pure-folders-use-no-node',
      comment: 'contract, engine, inventory, cost and client run anywhere: no Node built-ins',
      severity: 'error',
      from: { path: '^src/(contract|engine|inventory|cost|client)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'server-nouns-meet-at-service',
      comment:
        'a server noun imports another only through its service.ts, collection.ts or emit.ts; evaluation and wiring may import any',
      severity: 'error',
      from: { path: '^src/server/((?!evaluation/|wiring/)[^/]+)/' },
      to: {
        path: '^src/server/(?!store/|lanes/|threads/|evaluation/|outbound/|config/|http/|observe/|keys/)[^/]+/[^/]+',
        pathNot: ['^src/server/$1/', '^src/server/[^/]+/(service|collection|emit)\\.ts$'],
      },
    },
    {
      name: 'shared-server-folders-know-no-noun',
      comment:
        'store, lanes, threads, outbound, http, observe, keys and config serve every noun and import none, except metrics.ts, which counts reports and webhooks',
      severity: 'error',
      from: {
        path: '^src/server/(store|lanes|threads|outbound|http|observe|keys|config)/',
        pathNot: '^src/server/observe/metrics\\.ts$',
      },
      to: {
        path: '^src/server/(?!store/|lanes/|threads/|outbound/|http/|observe/|keys/|config/)[^/]+/',
      },
    },
    {
      name: 'server-starts-programs-in-one-place',
      comment: 'only executors/spawn.ts starts programs: those of the operator',
      severity: 'error',
      from: {
        path: '^src/server/',
        pathNot: '^src/server/remediation/executors/spawn\\.ts$',
      },
      to: { path: '^(node:)?child_process$', dependencyTypes: ['core'] },
    },
    {
      name: 'server-local-is-for-wiring',
      comment:
        'nouns do not import the test aids: local/ receives its dependencies as arguments, and only wiring and start.ts import it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/(local/|wiring/|start\\.ts$)' },
      to: { path: '^src/server/local/' },
    },
    {
      name: 'server-wiring-is-for-start',
      comment: 'wiring puts the server together; only start.ts and offline.ts import it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/(wiring/|(start|offline)\\.ts$)' },
      to: { path: '^src/server/wiring/' },
    },
    {
      name: 'server-modules-are-listed',
      comment: 'module.ts declares what its folder stores; only wiring/modules.ts imports it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/wiring/modules\\.ts$' },
      to: { path: '^src/server/[^/]+/module\\.ts$' },
    },
    {
      name: 'no-cycles',
      comment: 'type imports count: move a shared type to a file that both sides can import',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'no-orphans-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
    },
  },
};
