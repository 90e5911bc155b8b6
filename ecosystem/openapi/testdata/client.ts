/*
What a client of the RealWorld API may write, and what it may not: tsc reports each mistake, and
each line that is said to have one and has none.
*/
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

const client = createClient<paths>({ baseUrl: "http://localhost:8080" });
type Query = NonNullable<paths["/api/articles"]["get"]["parameters"]["query"]>;

export async function right(): Promise<string> {
	const headers = { Authorization: "Token t" };
	await client.POST("/api/articles", { headers, body: { article: { title: "t", description: "d", body: "b" } } });
	await client.POST("/api/articles", { headers, body: { article: { title: "t", description: "d", body: "b", tagList: ["x"] } } });
	await client.PUT("/api/user", { headers, body: { user: { bio: null } } });
	await client.DELETE("/api/articles/{slug}/comments/{id}", { headers, params: { path: { slug: "a", id: 1 } } });
	const query: Query = { tag: "x", limit: 1 };
	const { data, error } = await client.GET("/api/articles", { params: { query } });
	if (error) {
		return Object.values(error.errors ?? {}).flat().join();
	}
	const image: string | null | undefined = data.articles?.[0]?.author.image;
	return (image ?? "") + data.articlesCount.toFixed();
}

export async function wrong(): Promise<void> {
	// @ts-expect-error a required key is missing
	await client.POST("/api/articles", { body: { article: { description: "d", body: "b" } } });
	// @ts-expect-error another type
	await client.POST("/api/articles", { body: { article: { title: 1, description: "d", body: "b" } } });
	// @ts-expect-error no such path
	await client.GET("/api/article");
	const { data } = await client.GET("/api/tags");
	// @ts-expect-error the answer has no such field
	data?.tagList;
	// @ts-expect-error no such key of the query
	const query: Query = { tag: "x", limti: 1 };
	// @ts-expect-error a list does not have the bodies of articles
	const body: components["schemas"]["listed"]["body"] = "";
	console.log(query, body);
}
