// Serves a GGUF file over the OpenAI protocol, for tests/judge/test_local_model.py.
//
//   npm install --omit=optional --ignore-scripts node-llama-cpp @node-llama-cpp/linux-x64
//   node server.mjs MODEL.gguf PORT          (0 = a free one; it is printed)
//
// Below /v1/no-schema it refuses json_schema, below /v1/no-format any response_format: real servers
// differ there. A caller that goes away ends its generation.
import http from "node:http";
import {getLlama, LlamaChatSession} from "node-llama-cpp";

const [path, port] = process.argv.slice(2);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", maxThreads: 2});
const model = await llama.loadModel({modelPath: path});
const context = await model.createContext({contextSize: 4096, threads: 2});
const sequence = context.getSequence(); // kept: a prompt that begins like the last one costs less
let turn = Promise.resolve();

function text(request, role) {
  return request.messages.filter((m) => m.role === role).map((m) => m.content).join("\n");
}

async function grammar(format) {
  if (format.type === "json_schema") return llama.createGrammarForJsonSchema(format.json_schema.schema);
  return format.type === "json_object" ? llama.getGrammarFor("json") : undefined;
}

async function complete(request, signal) {
  signal.throwIfAborted();
  const [system, user] = [text(request, "system"), text(request, "user")];
  const session = new LlamaChatSession({contextSequence: sequence, systemPrompt: system});
  const {responseText: content, stopReason} = await session.promptWithMeta(user, {
    temperature: request.temperature ?? 0,
    maxTokens: request.max_tokens ?? 256,
    grammar: await grammar(request.response_format ?? {}),
    signal,
  });
  const usage = {
    prompt_tokens: model.tokenize(system + user).length,
    completion_tokens: model.tokenize(content).length,
  };
  const message = {role: "assistant", content};
  return {
    id: "local", object: "chat.completion", created: 1, model: request.model,
    choices: [{index: 0, finish_reason: stopReason === "maxTokens" ? "length" : "stop", message}],
    usage: {...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens},
  };
}

function refuses(url, format) {
  if (url.includes("/no-format/")) return format !== undefined;
  return url.includes("/no-schema/") && format?.type === "json_schema";
}

const server = http.createServer((incoming, outgoing) => {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const parts = [];
  incoming.on("data", (part) => parts.push(part));
  incoming.on("end", () => {
    const send = (status, document) => {
      outgoing.writeHead(status, {"Content-Type": "application/json"});
      outgoing.end(JSON.stringify(document));
    };
    const request = JSON.parse(Buffer.concat(parts).toString());
    if (refuses(incoming.url, request.response_format)) {
      send(400, {error: {message: "response_format is not supported"}});
      return;
    }
    turn = turn
      .then(() => complete(request, gone.signal))
      .then((document) => send(200, document))
      .catch((error) => gone.signal.aborted || send(500, {error: {message: String(error)}}));
  });
}).listen(Number(port), "127.0.0.1", () => console.log(server.address().port));
