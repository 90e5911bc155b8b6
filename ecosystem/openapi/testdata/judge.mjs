// Holds requests and answers against a document by the JSON Schema of Ajv.
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";

const [document, exchanges] = ["openapi.json", "exchanges.json"].map((name) => JSON.parse(readFileSync(name, "utf8")));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(document, "document");
const pointer = (...keys) => "document#/" + keys.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
const count = { answers: 0, accepted: 0, wrong: 0 };

function judge(text, of, at) {
	const fits = ajv.validate({ $ref: pointer(...at, "content", "application/json", "schema") }, JSON.parse(text));
	count[of]++;
	if (!fits) {
		count.wrong++;
		console.log(of, at.join(" "), text, ajv.errorsText());
	}
}

for (const { operation, status, sent, got } of exchanges) {
	const [method, path] = operation.split(" ");
	const at = ["paths", path, method.toLowerCase()];
	const { requestBody, responses } = document.paths[path][method.toLowerCase()];
	if (got) {
		judge(got, "answers", [...at, "responses", responses[status] ? String(status) : "default"]);
	}
	if (sent && status < 300 && requestBody) {
		judge(sent, "accepted", [...at, "requestBody"]);
	}
}
console.log(JSON.stringify(count));
