// WebSockets of an attached global. A page's can say nothing in its handshake but protocols, so the key is one.
import { asHttp } from './judge.js';
import { shutSocket } from './shut.js';

const TAB_PROTOCOL = 'wrld';

/** @param {typeof globalThis} scope @param {import('./tab.js').Tab} tab */
export function installWebSocket(scope, tab) {
  const Direct = scope.WebSocket;
  const { get: protocolOf } = /** @type {{ get: () => string }} */ (
    Object.getOwnPropertyDescriptor(Direct.prototype, 'protocol')
  );
  scope.WebSocket = new Proxy(Direct, {
    construct(target, [to, protocols], made) {
      const url = tab.absolute(to);
      const verdict = tab.judge('GET', asHttp(url), 'socket');
      const own = protocols === undefined ? [] : [protocols].flat();
      if (verdict.to === 'refused') return shutSocket(url.href, tab.refusal(url, verdict));
      if (verdict.to !== 'twin') return Reflect.construct(target, [url.href, own], made);
      const offered = [...own, TAB_PROTOCOL, `wrld-key.${tab.settings.token}`];
      const socket = Reflect.construct(target, [verdict.url.replace(/^http/, 'ws'), offered], made);
      return Object.defineProperties(socket, {
        url: { value: url.href.replace(/^http/, 'ws') },
        protocol: {
          get: () => {
            const said = Reflect.apply(protocolOf, socket, []);
            return said === TAB_PROTOCOL ? '' : said;
          },
        },
      });
    },
  });
}

/** No twin speaks it, and what it carries is no request. @param {typeof globalThis} scope @param {import('./tab.js').Tab} tab */
export function installWebTransport(scope, tab) {
  if (typeof scope.WebTransport !== 'function') return;
  scope.WebTransport = new Proxy(scope.WebTransport, {
    construct(target, [to, options], made) {
      const url = tab.absolute(to);
      const verdict = tab.judge('CONNECT', url, 'socket');
      if (verdict.to === 'out') return Reflect.construct(target, [to, options], made);
      throw tab.refusal(
        url,
        verdict.to === 'refused' ? verdict : { to: 'refused', rule: 'inspected-transport', about: '' },
      );
    },
  });
}
