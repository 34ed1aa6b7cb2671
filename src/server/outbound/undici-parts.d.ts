// undici's own file, typed by its public face (it declares none for it).
declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
