#!/usr/bin/env node
import module from 'node:module';

// Newer Nodes keep compiled code between runs; Node 20 has no such cache.
module.enableCompileCache?.();
await import('../dist/main.js');
