import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { webhookName } from '../../../src/message/hand-over.ts';
import { expectProblem } from '../../problem.ts';
import { WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';
import { aUrl, create, idOfNew, jsonOf, patch } from './webhook-calls.ts';

/** The operator lists the webhooks of all partners, and disables and enables one. */

const { DB, WEBHOOKS } = env as Env;

describe('/admin/webhooks', () => {
  it('lists the webhooks of every gatekeeper network with their lag, page by page', async () => {
    const api = await aPartner();
    const [first, second] = [await idOfNew(api), await idOfNew(api)];
    await aPartner().then(idOfNew);
    await DB.prepare('UPDATE feeds SET sequence = 3 WHERE gatekeeper_network = ?').bind(api.gatekeeperNetwork).run();
    const operator = await anOperator();
    const found: { id: string; gatekeeperNetwork: string; lag: number }[] = [];
    let after = '';
    for (;;) {
      const page = jsonOf(await operator.call('GET', `/admin/webhooks?limit=1${after}`));
      found.push(...page.webhooks);
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    expect(found.toSorted((a, b) => (a.gatekeeperNetwork < b.gatekeeperNetwork ? -1 : 1))).toEqual(found);
    const ours = found.filter(({ gatekeeperNetwork }) => gatekeeperNetwork === api.gatekeeperNetwork);
    expect(ours.map(({ id, lag }) => ({ id, lag }))).toEqual([first, second].map((id) => ({ id, lag: 3 })));
    expect(found.length).toBeGreaterThan(ours.length);
  });

  it('shows no webhook for an id that a failed request left in the list', async () => {
    const api = await aPartner();
    const { gatekeeperNetwork } = api;
    await WEBHOOKS.getByName(webhookName(gatekeeperNetwork, await idOfNew(api))).remove();
    const stays = await idOfNew(api);
    const query = 'SELECT max(gatekeeper_network) FROM feeds WHERE gatekeeper_network < ?';
    const before = await DB.prepare(query).bind(gatekeeperNetwork).first('max(gatekeeper_network)');
    const after = before === null ? '' : `&after=${before}`;
    const page = await (await anOperator()).call('GET', `/admin/webhooks?limit=1${after}`);
    expect(jsonOf(page).webhooks).toEqual([expect.objectContaining({ gatekeeperNetwork, id: stays, lag: 0 })]);
  });

  it('disables a webhook until the operator enables it, whatever its partner does', async () => {
    const api = await aPartner({ send: workerWith({ ...TRUSTING, ...WITHOUT_LIMITS }) });
    const url = aUrl();
    const { id } = jsonOf(await create(api, { url }));
    const second = jsonOf(await create(api, { url: 'https://hooks.partner.io/' })).id;
    const disable = { gatekeeperNetwork: api.gatekeeperNetwork, id };
    const operator = await anOperator();
    // A stop by the operator counts also if the partner has disabled the webhook before.
    await patch(api, id, { status: 'disabled' });
    const answer = await operator.post('/admin/webhooks', { disable });
    expect(jsonOf(answer)).toMatchObject({ id, status: 'disabled', disabledReason: 'operator' });
    const refused = [
      await patch(api, id, { status: 'enabled' }),
      await patch(api, id, { status: 'enabled', description: 'a' }),
      await patch(api, id, { url: 'https://other.partner.io/' }),
      await api.call('DELETE', `/webhooks/${id}`),
      // The same host in another webhook.
      await create(api, { url: `${url}/again` }),
      await patch(api, second, { url: `${url}?again` }),
    ];
    for (const each of refused) expectProblem(each, 'webhook_disabled_by_operator');
    expect(jsonOf(await api.call('POST', `/webhooks/${id}/test`))).toEqual({
      delivered: false,
      durationMs: 0,
      error: 'the operator has disabled the webhook',
    });
    await api.call('POST', `/webhooks/${id}/rotate-secret`);
    await api.post(`/webhooks/${id}/replay`, { after: 0 });
    await patch(api, id, { status: 'disabled', description: 'b' });
    const { url: stays, status, disabledReason, description } = jsonOf(await api.call('GET', `/webhooks/${id}`));
    expect({ stays, status, disabledReason, description }).toEqual({
      stays: url,
      status: 'disabled',
      disabledReason: 'operator',
      description: 'b',
    });
    expect(await (await fetch(url)).json()).toEqual([]);
    expect(jsonOf(await operator.post('/admin/webhooks', { enable: disable }))).toMatchObject({ status: 'enabled' });
    expect((await create(api, { url: `${url}/again` })).status).toBe(201);
    expect((await api.call('DELETE', `/webhooks/${id}`)).status).toBe(204);
  });

  it('keeps a webhook disabled that has the same host, until the operator enables the first one', async () => {
    const api = await aPartner({ send: workerWith({ ...TRUSTING, ...WITHOUT_LIMITS }) });
    const [id, other] = [await idOfNew(api), await idOfNew(api)];
    const running = await idOfNew(api);
    await patch(api, other, { status: 'disabled' });
    const stopped = { gatekeeperNetwork: api.gatekeeperNetwork, id };
    const operator = await anOperator();
    await operator.post('/admin/webhooks', { disable: stopped });
    expectProblem(await patch(api, other, { status: 'enabled' }), 'webhook_disabled_by_operator');
    expect(jsonOf(await api.call('GET', `/webhooks/${other}`))).toMatchObject({ disabledReason: 'partner' });
    // It delivers already, so the operator has chosen to let it.
    expect((await patch(api, running, { status: 'enabled' })).status).toBe(200);
    await operator.post('/admin/webhooks', { enable: stopped });
    expect((await patch(api, other, { status: 'enabled' })).status).toBe(200);
  });

  it('stops a webhook also while its partner enables and deletes it', async () => {
    const api = await aPartner({ send: workerWith({ ...TRUSTING, ...WITHOUT_LIMITS }) });
    const id = await idOfNew(api);
    const operator = await anOperator();
    const disable = { gatekeeperNetwork: api.gatekeeperNetwork, id };
    await patch(api, id, { status: 'disabled' });
    await Promise.all([
      ...Array.from({ length: 4 }, () => patch(api, id, { status: 'enabled' })),
      operator.post('/admin/webhooks', { disable }),
      ...Array.from({ length: 4 }, () => patch(api, id, { status: 'enabled' })),
    ]);
    expect(jsonOf(await api.call('GET', `/webhooks/${id}`))).toMatchObject({ disabledReason: 'operator' });
    await Promise.all(Array.from({ length: 4 }, () => api.call('DELETE', `/webhooks/${id}`)));
    expect(jsonOf(await api.call('GET', `/webhooks/${id}`))).toMatchObject({ disabledReason: 'operator' });
  });

  it.each([[{}], [{ disable: undefined }], ['both']])('refuses the body %j', async (body) => {
    const api = await aPartner();
    const webhook = { gatekeeperNetwork: api.gatekeeperNetwork, id: await idOfNew(api) };
    const sent = body === 'both' ? { disable: webhook, enable: webhook } : (body as object);
    expectProblem(await (await anOperator()).post('/admin/webhooks', sent), 'invalid_request');
    expect(jsonOf(await api.call('GET', `/webhooks/${webhook.id}`))).toMatchObject({ status: 'enabled' });
  });

  it('answers 404 for a webhook of another gatekeeper network', async () => {
    const api = await aPartner();
    const id = await idOfNew(api);
    const other = { gatekeeperNetwork: newGatekeeperNetwork(), id };
    expectProblem(await (await anOperator()).post('/admin/webhooks', { disable: other }), 'webhook_not_found');
  });
});
