// The walls of the house (docs/architecture.md), checked by `npm test`.
const room = (name, may) => ({
  name: `${name}-imports`,
  comment: `src/${name} may import only: ${[name, ...may].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: `^src/(${[name, ...may].join('|')})/` },
});

module.exports = {
  forbidden: [
    room('contract', []),
    room('engine', ['contract']),
    room('inventory', ['contract']),
    room('webhook', ['contract']),
    room('calendar', ['contract']),
    room('client', ['contract']),
    room('project', ['contract', 'engine', 'inventory', 'calendar', 'client']),
    room('report', ['contract', 'engine', 'calendar']),
    room('server', ['contract', 'engine', 'inventory', 'webhook', 'calendar', 'report']),
    room('cli', [
      'contract',
      'engine',
      'inventory',
      'webhook',
      'calendar',
      'client',
      'report',
      'project',
    ]),
    {
      name: 'pure-rooms-use-no-node',
      comment: 'contract, engine, inventory and client run anywhere: no Node built-ins',
      severity: 'error',
      from: { path: '^src/(contract|engine|inventory|client)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'server-nouns-meet-at-service',
      comment:
        'a server noun reaches another only through its service.ts, or what it stores; evaluation and wiring are where they meet',
      severity: 'error',
      from: { path: '^src/server/((?!evaluation/|wiring/)[^/]+)/' },
      to: {
        path: '^src/server/(?!store/|lanes/|evaluation/|outbound/|config/|http/|observe/|keys/)[^/]+/[^/]+',
        pathNot: ['^src/server/$1/', '^src/server/[^/]+/(service|collection|emit)\\.ts$'],
      },
    },
    {
      name: 'server-rooms-know-no-noun',
      comment:
        'store, lanes, outbound, http, observe, keys and config serve every noun and know none; the metrics count what reports and webhooks store',
      severity: 'error',
      from: {
        path: '^src/server/(store|lanes|outbound|http|observe|keys|config)/',
        pathNot: '^src/server/observe/metrics\\.ts$',
      },
      to: { path: '^src/server/(?!store/|lanes/|outbound/|http/|observe/|keys/|config/)[^/]+/' },
    },
    {
      name: 'server-local-is-for-wiring',
      comment:
        'no noun knows of the test aids: local/ is handed what it looks at, and only wiring and start.ts ask it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/(local/|wiring/|start\\.ts$)' },
      to: { path: '^src/server/local/' },
    },
    {
      name: 'server-wiring-is-for-start',
      comment: 'wiring puts the server together, and only start.ts asks it to',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/(wiring/|start\\.ts$)' },
      to: { path: '^src/server/wiring/' },
    },
    {
      name: 'server-modules-are-listed',
      comment: 'what a folder stores is declared in its module.ts, for wiring/modules.ts alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/wiring/modules\\.ts$' },
      to: { path: '^src/server/[^/]+/module\\.ts$' },
    },
    {
      name: 'no-cycles',
      comment: 'of types neither: a type stands where both sides can import it',
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
