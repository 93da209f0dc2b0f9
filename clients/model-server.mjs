// A model that says what a script tells it to, on loopback, in each of the protocols of
// wire-formats.mjs.
//
// A script is `{ prompt, steps }`. The one whose `prompt` occurs in the newest words of the person
// that hold any script's prompt speaks. Each step is a tool call, `{ name, input }` or
// `{ name, text }`; the number of tool results behind those words says which one is next, and
// behind the last one the model says "done". Every request body is kept for the check that reads
// it, and every call that was asked for. The server answers a bounded number of requests of bounded
// size, and never reaches another host.

import http from "node:http";

import { FORMATS, json } from "./wire-formats.mjs";

const MAX_REQUESTS = 200;
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Starts a server for `scripts`; resolves to `{ url, requests, asked, close }`. */
export async function startModel(scripts) {
  const requests = [];
  // By id: a client that repeats a request is told the same call again.
  const asked = new Map();
  const server = http.createServer((request, response) => {
    answer(request, response, { scripts, requests, asked }).catch((error) => {
      response.writeHead(500, { "content-type": "text/plain" }).end(String(error));
    });
  });
  server.requestTimeout = 30_000;
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The texts of the tool results that the model was sent, in order, without repetitions. */
export function toolResults(requests) {
  const results = new Map();
  for (const body of requests) {
    for (const { result } of FORMATS.flatMap((format) => format.turns(body))) {
      if (result) results.set(result.id, { text: result.text, isError: result.isError });
    }
  }
  return [...results.values()];
}

async function answer(request, response, { scripts, requests, asked }) {
  const { method, url } = request;
  if (method === "HEAD") {
    response.end();
    return;
  }
  const format = FORMATS.find(({ serves }) => serves(url));
  if (method !== "POST" || !format) {
    response.writeHead(404).end();
    return;
  }
  if (requests.length >= MAX_REQUESTS) {
    response.writeHead(429).end();
    return;
  }
  const body = JSON.parse(await read(request));
  const side = format.side(url);
  if (side) {
    json(response, side);
    return;
  }
  requests.push(body);
  const next = format.hasTools(body) ? nextStep(format.turns(body), scripts) : undefined;
  if (next) asked.set(next.id, next);
  format.answer(response, { body, url, number: requests.length, block: next ?? { say: "done" } });
}

async function read(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error("the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function nextStep(turns, scripts) {
  const speaks = ({ text }) => text && scripts.find(({ prompt }) => text.includes(prompt));
  const from = turns.findLastIndex(speaks);
  if (from < 0) return undefined;
  const script = speaks(turns[from]);
  const number = turns.slice(from).filter(({ result }) => result).length;
  const step = script.steps[number];
  // As long as the ids of real models, which no two sessions share.
  return step && { ...step, id: `call_${script.prompt}_${number}_`.padEnd(29, "0") };
}
