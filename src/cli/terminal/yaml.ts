/** The bundler gives a CommonJS package no named exports when it is imported lazily; this module has them. */
export { parse } from 'yaml';
