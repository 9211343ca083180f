/** Both packages expect Node's `Buffer` in the page. */
export { Buffer } from 'buffer';
