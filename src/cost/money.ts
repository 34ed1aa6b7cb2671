export { showMoney } from '../contract/money.ts';
